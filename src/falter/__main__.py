"""``python -m falter`` runs the same program as ``falter``."""

from falter.cli.main import main

if __name__ == "__main__":
    main()
