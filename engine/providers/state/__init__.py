"""The state database: what must survive a restart and is no vector.

One code for SQLite and PostgreSQL. `database.py` opens it and hands out connections, `stores.py` holds the ports,
`tables.py` the schema, `migrations/` its history, `addresses.py` and `failures.py` what people type and get told.
"""
