# SPDX-License-Identifier: GPL-2.0-only
"""Business transactions as SQL, for sqlite3.

Owns: `specjbb.sql`: warehouses, and orders, payments and deliveries on them.
"""
import os
import random

WAREHOUSES, ITEMS, CUSTOMERS, TRANSACTIONS = 4, 400, 200, 900
SCHEMA = """PRAGMA temp_store = MEMORY;
CREATE TABLE stock (warehouse INT, item INT, count INT, PRIMARY KEY (warehouse, item));
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, balance INT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INT, warehouse INT, delivered INT);
CREATE TABLE line (orders INT, item INT, count INT);
CREATE INDEX by_customer ON orders (customer);
CREATE INDEX by_order ON line (orders);
"""


def order(rng, number):
    warehouse = rng.randrange(WAREHOUSES)
    yield "INSERT INTO orders VALUES (%d, %d, %d, 0);" % (
        number, rng.randrange(CUSTOMERS), warehouse)
    for item in rng.sample(range(ITEMS), rng.randrange(3, 12)):
        count = rng.randrange(1, 9)
        yield "INSERT INTO line VALUES (%d, %d, %d);" % (number, item, count)
        yield "UPDATE stock SET count = count - %d WHERE warehouse = %d AND item = %d;" % (
            count, warehouse, item)


def payment(rng, _number):
    customer, amount = rng.randrange(CUSTOMERS), rng.randrange(1, 500)
    yield "UPDATE customer SET balance = balance - %d WHERE id = %d;" % (amount, customer)
    yield "SELECT name, balance FROM customer WHERE id = %d;" % customer


def delivery(rng, _number):
    yield ("UPDATE orders SET delivered = 1 WHERE id = (SELECT min(id) FROM orders "
           "WHERE delivered = 0 AND warehouse = %d);" % rng.randrange(WAREHOUSES))


def status(rng, _number):
    yield ("SELECT o.id, count(*), sum(l.count) FROM orders o JOIN line l ON l.orders = o.id "
           "WHERE o.customer = %d GROUP BY o.id ORDER BY o.id DESC LIMIT 5;"
           % rng.randrange(CUSTOMERS))


def fill(place, _out):
    rng = random.Random(2005)
    with open(os.path.join(place, "specjbb.sql"), "w", encoding="ascii") as f:
        f.write(SCHEMA + "BEGIN;\n")
        f.writelines("INSERT INTO stock VALUES (%d, %d, 1000);\n" % (w, i)
                     for w in range(WAREHOUSES) for i in range(ITEMS))
        f.writelines("INSERT INTO customer VALUES (%d, 'customer %d', 0);\n" % (c, c * 7919)
                     for c in range(CUSTOMERS))
        f.write("COMMIT;\n")
        for number in range(TRANSACTIONS):
            kind = rng.choices((order, payment, delivery, status), (45, 43, 4, 8))[0]
            f.write("BEGIN;\n%s\nCOMMIT;\n" % "\n".join(kind(rng, number)))
        f.write("SELECT sum(count) FROM stock; SELECT sum(balance) FROM customer;\n")
