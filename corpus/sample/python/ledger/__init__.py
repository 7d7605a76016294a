"""A small ledger: invoices, payments and reports."""
