import pytest

from ledger.money import CurrencyMismatch, Money, parse


@pytest.mark.parametrize(
    "text, cents",
    [("1.00 EUR", 100), ("12.50 EUR", 1250), ("0.05 EUR", 5), ("12.5 EUR", 1250), ("7 EUR", 700), ("999.99 EUR", 99999)],
)
def test_amounts_are_read(text, cents):
    assert parse(text).cents == cents


def test_amounts_are_added():
    assert Money(120) + Money(30) == Money(150)


def test_currencies_do_not_mix():
    with pytest.raises(CurrencyMismatch, match="cannot add USD to EUR"):
        Money(1) + Money(1, "USD")


@pytest.mark.parametrize("source, target", [("EUR", "USD"), ("USD", "EUR"), ("GBP", "EUR"), ("EUR", "GBP")])
def test_currencies_are_exchanged(source, target):
    assert Money(1000, source).to(target).currency == target


@pytest.mark.parametrize("cents, text", [(5, "0.05 EUR"), (100, "1.00 EUR"), (-250, "-2.50 EUR")])
def test_amounts_are_written(cents, text):
    assert str(Money(cents)) == text
