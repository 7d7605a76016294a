"""Amounts in cents, with a currency."""

from __future__ import annotations

from dataclasses import dataclass

RATES = {("EUR", "USD"): 1.08, ("USD", "EUR"): 0.926, ("GBP", "EUR"): 1.17}


class CurrencyMismatch(ValueError):
    """Two amounts do not share a currency."""


@dataclass(frozen=True, order=True)
class Money:
    """An amount in cents."""

    cents: int
    currency: str = "EUR"

    def __add__(self, other: Money) -> Money:
        if self.currency != other.currency:
            raise CurrencyMismatch(f"cannot add {other.currency} to {self.currency}")
        return Money(self.cents + other.cents, self.currency)

    def __mul__(self, factor: float) -> Money:
        return Money(round(self.cents * factor), self.currency)

    def to(self, currency: str) -> Money:
        """The same amount in another currency."""
        if currency == self.currency:
            return self
        return Money(round(self.cents * RATES[self.currency, currency]), currency)

    def __str__(self) -> str:
        return f"{self.cents // 100}.{self.cents % 100:02} {self.currency}"


def parse(text: str) -> Money:
    """Reads `12.50 EUR`."""
    number, _, currency = text.partition(" ")
    whole, _, fraction = number.partition(".")
    return Money(int(whole) * 100 + int(fraction or 0), currency or "EUR")
