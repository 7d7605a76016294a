"""Invoices, their lines and what is still open on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta

from .money import Money

VAT = {"standard": 0.19, "reduced": 0.07, "none": 0.0}


@dataclass
class Line:
    """One thing that was sold."""

    title: str
    quantity: int
    price: Money
    vat: str = "standard"

    def net(self) -> Money:
        """The price without tax."""
        return self.price * self.quantity

    def gross(self) -> Money:
        """The price with tax."""
        return self.net() * (1 + VAT[self.vat])


@dataclass
class Invoice:
    """What a customer owes."""

    number: str
    customer: str
    issued: date
    lines: list[Line] = field(default_factory=list)
    payments: list[Money] = field(default_factory=list)
    days: int = 14

    def due(self) -> date:
        """When it has to be paid."""
        return self.issued + timedelta(days=self.days)

    def total(self) -> Money:
        """The sum of all lines, with tax."""
        total = Money(0)
        for line in self.lines:
            total += line.gross()
        return total

    def open(self) -> Money:
        """What is not paid yet."""
        paid = Money(0)
        for payment in self.payments:
            paid += payment
        return Money(self.total().cents - paid.cents)

    def is_late(self, today: date) -> bool:
        """Whether the day has passed and money is missing."""
        return today >= self.due() and self.open().cents > 0


def reminder(invoice: Invoice, today: date) -> str | None:
    """What to write to a customer who is late."""
    if not invoice.is_late(today):
        return None
    late = (today - invoice.due()).days
    return f"Invoice {invoice.number}: {invoice.open()} is {late} days late."
