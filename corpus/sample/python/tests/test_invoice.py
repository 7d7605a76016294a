from datetime import date

import pytest

from ledger.invoice import Invoice, Line, reminder
from ledger.money import Money
from ledger.report import as_json, by_customer, by_month


@pytest.fixture
def invoice():
    made = Invoice("2026-0117", "Nordwind GmbH", date(2026, 3, 2))
    made.lines.append(Line("Hosting, March", 1, Money(4900)))
    made.lines.append(Line("Support hours", 6, Money(8500)))
    made.lines.append(Line("Handbook", 2, Money(1500), vat="reduced"))
    return made


def test_the_total_has_tax(invoice):
    assert invoice.total() == Money(69731)


def test_payments_are_taken_off(invoice):
    invoice.payments.append(Money(20000))
    assert invoice.open() == Money(49731)


def test_nobody_is_late_on_the_day_itself(invoice):
    assert not invoice.is_late(date(2026, 3, 16))


def test_a_reminder_names_the_days(invoice):
    assert reminder(invoice, date(2026, 3, 20)) == "Invoice 2026-0117: 697.31 EUR is 4 days late."


def test_no_reminder_before_the_day(invoice):
    assert reminder(invoice, date(2026, 3, 10)) is None


def test_sums_by_customer(invoice):
    assert by_customer([invoice, invoice])["Nordwind GmbH"] == Money(139462)


def test_sums_by_month(invoice):
    assert list(by_month([invoice])) == ["2026-03"]


def test_rows_for_the_api(invoice):
    assert '"total": 69731' in as_json([invoice])
