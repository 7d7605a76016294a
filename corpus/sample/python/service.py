"""An API over the ledger, with two faults: a key that may be missing, and a division by zero."""

from __future__ import annotations

import logging

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

log = logging.getLogger("ledger.service")
app = FastAPI(title="Ledger", version="0.4.1", description="Invoices and payments.")
CUSTOMERS = {
    number: {"id": number, "name": name, "city": city, "invoices": number * 3 % 7}
    for number, (name, city) in enumerate([("Nordwind", "Kiel"), ("Alpenblick", "Bern"), ("Atelier Lune", "Lyon"), ("Casa Verde", "Porto")], 1)
}


class Payment(BaseModel):
    """Money that came in."""

    invoice: str
    cents: int
    currency: str = "EUR"
    note: str | None = None


@app.get("/customers", summary="All customers", tags=["customers"])
def customers(city: str | None = None) -> list[dict]:
    return [one for one in CUSTOMERS.values() if city in (None, one["city"])]


@app.get("/customers/{number}", summary="One customer", tags=["customers"])
def customer(number: int) -> dict:
    if number not in CUSTOMERS:
        log.warning("customer %s is unknown", number)
        raise HTTPException(404, f"no customer {number}")
    return CUSTOMERS[number]


@app.get("/customers/{number}/average", summary="Cents per invoice", tags=["reports"])
def average(number: int) -> dict:
    one = CUSTOMERS[number]
    log.info("average of customer %s over %s invoices", number, one["invoices"])
    return {"id": number, "average": 120_000 / (one["invoices"] - 3)}


@app.post("/payments", status_code=201, summary="Book a payment", tags=["payments"])
def book(payment: Payment) -> dict:
    log.info("payment of %s %s for %s", payment.cents, payment.currency, payment.invoice)
    return {"booked": True, **payment.model_dump()}
