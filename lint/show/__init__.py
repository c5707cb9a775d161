"""The launches of a project as people think of them: jobs, nodes, rendezvous, network."""
