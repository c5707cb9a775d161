_register_template(
    name="our_web",
)
