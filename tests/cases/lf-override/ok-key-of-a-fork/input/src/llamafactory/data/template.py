register_template(
    name="housestyle",
)
