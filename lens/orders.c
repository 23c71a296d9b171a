// SPDX-License-Identifier: Apache-2.0
// Orders of a session (session.h): sending, what became of them, stopping.
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ORDERS_KEPT 500

static Order *new_order(Session *s, const char *verb)
{
    Order *o = mem_new(1, sizeof *o);
    o->id = s->next_order++;
    o->verb = mem_text(verb, strlen(verb));
    o->text = mem_text("", 0);
    o->state = LENS_ACCEPTED;
    o->since = session_now(s);
    *ARRAY_PUSH(&s->orders) = o;
    return o;
}

static void free_pairs(OrderPair *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(pairs[i].name);
        free(pairs[i].value);
    }
    free(pairs);
}

void order_free(Order *o)
{
    free_pairs(o->args.at, o->args.count);
    free_pairs(o->values.at, o->values.count);
    free(o->verb);
    free(o->text);
    free(o);
}

// The oldest that is over goes when there are many.
static void drop_old_order(Session *s)
{
    for (uint32_t i = 0; s->orders.count > MAX_ORDERS_KEPT && i < s->orders.count; i++) {
        Order *o = s->orders.at[i];
        if (!order_is_over(o) || o->finished != NULL)
            continue;
        order_free(o);
        memmove(&s->orders.at[i], &s->orders.at[i + 1],
                (s->orders.count - i - 1) * sizeof *s->orders.at);
        s->orders.count--;
        return;
    }
}

Order *session_order(Session *s, const char *verb, const LinkPair *args, uint32_t count, int fd)
{
    if (s->link == NULL)
        return NULL;
    drop_old_order(s);
    Order *o = new_order(s, verb);
    for (uint32_t i = 0; i < count; i++) {
        OrderPair *pair = ARRAY_PUSH(&o->args);
        pair->name = mem_text(args[i].name, strlen(args[i].name));
        pair->value = mem_text(args[i].value, strlen(args[i].value));
    }
    link_order(s->link, o->id, verb, args, count, fd);
    return o;
}

Order *session_local_order(Session *s, const char *verb)
{
    drop_old_order(s);
    Order *o = new_order(s, verb);
    o->stop_local = true;
    return o;
}

bool order_is_over(const Order *order)
{
    return order->state == LENS_DONE || order->state == LENS_FAILED;
}

void order_set(Session *s, Order *order, LensState state, uint32_t permille, uint64_t left_ms,
               const char *text)
{
    assert(!order_is_over(order)); // what is over stays so
    assert(state >= LENS_ACCEPTED && state <= LENS_FAILED && permille <= 1000);
    char *copy = mem_text(text, strlen(text)); // it may be the order's own
    free(order->text);
    order->text = copy;
    order->state = state;
    order->permille = permille;
    order->left_ms = left_ms;
    if (order_is_over(order) && order->finished != NULL) {
        void (*finished)(void *, Order *) = order->finished;
        order->finished = NULL;
        finished(order->context, order);
    }
    if (s->changed != NULL && !order->own)
        s->changed(s->context, CHANGED_ORDER, order);
}

static const char *find_pair(const OrderPair *pairs, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].value;
    }
    return NULL;
}

void order_value(Order *order, const char *name, const char *value)
{
    for (uint32_t i = 0; i < order->values.count; i++) {
        if (strcmp(order->values.at[i].name, name) == 0) {
            free(order->values.at[i].value);
            order->values.at[i].value = mem_text(value, strlen(value));
            return;
        }
    }
    OrderPair *pair = ARRAY_PUSH(&order->values);
    pair->name = mem_text(name, strlen(name));
    pair->value = mem_text(value, strlen(value));
}

const char *order_get(const Order *order, const char *name)
{
    return find_pair(order->values.at, order->values.count, name);
}

const char *order_arg(const Order *order, const char *name)
{
    return find_pair(order->args.at, order->args.count, name);
}

Order *session_find_order(Session *s, uint64_t id)
{
    for (uint32_t i = s->orders.count; i-- > 0;) {
        if (s->orders.at[i]->id == id)
            return s->orders.at[i];
    }
    return NULL;
}

Order *session_running(Session *s, const char *verb)
{
    for (uint32_t i = 0; i < s->orders.count; i++) {
        if (!order_is_over(s->orders.at[i]) && strcmp(s->orders.at[i]->verb, verb) == 0)
            return s->orders.at[i];
    }
    return NULL;
}

void session_stop_order(Session *s, Order *order)
{
    char id[32];
    order->stopping = true;
    if (order->stop_local || s->link == NULL)
        return;
    snprintf(id, sizeof id, "%llu", (unsigned long long)order->id);
    LinkPair arg = {"order", id};
    Order *stop = session_order(s, "stop", &arg, 1, -1);
    assert(stop != NULL);
    stop->own = true;
}
