"""Sums of invoices by customer and by month."""

from __future__ import annotations

import json
from collections import defaultdict

from .invoice import Invoice
from .money import Money


def by_customer(invoices: list[Invoice]) -> dict[str, Money]:
    """The total of each customer."""
    sums: dict[str, Money] = defaultdict(lambda: Money(0))
    for invoice in invoices:
        sums[invoice.customer] += invoice.total()
    return dict(sums)


def by_month(invoices: list[Invoice]) -> dict[str, Money]:
    """The total of each month."""
    sums: dict[str, Money] = defaultdict(lambda: Money(0))
    for invoice in invoices:
        sums[invoice.issued.strftime("%Y-%m")] += invoice.total()
    return dict(sums)


def as_json(invoices: list[Invoice]) -> str:
    """Invoices as an API would give them."""
    rows = [
        {"number": it.number, "customer": it.customer, "issued": it.issued.isoformat(), "due": it.due().isoformat(),
         "total": it.total().cents, "open": it.open().cents, "lines": len(it.lines)}
        for it in invoices
    ]
    return json.dumps(rows, indent=2)
