"""One module per command of `refdesk`: `NAME`, `HELP`, `add_arguments`, and `run`, which returns the exit code."""
