"""The HTTP face of the broker: a thin layer of FastAPI routes over `gtopss.broker`.

settings.py       every setting of a service
service.py        Service: opens and closes the store, the broker, its deliveries, feeds and workers
app.py            create_app: the routes and what surrounds them
starting.py       what is answered until the application is there
opening.py        opens a service: at the first start before the matching loops are compiled
server.py         runs an application with uvicorn: slow clients are cut off, signals end it
access.py         credentials of a request: tickets, API keys and roles
protection.py     checks of host and origin, limits of bodies, request ids, security headers
route_threads.py  threads of routes that may take long
publish_queue.py  plain documents of several requests, published by one call
direct_route.py   a route without the framework's reading of parameters
live_events.py    event streams: one reader of the store for all clients of a subscription
direct_writes.py  one chunk to the connections of many event streams
event_response.py the response of an event stream
problems.py       errors as problem details (RFC 9457)
bodies.py         request bodies by their media type
durations.py      spans of time in requests
schema.py         the OpenAPI document
metrics.py        metrics for Prometheus
errors.py         errors of the service itself
examples.py       the example feeds and templates
models/           the typed requests and responses
routes/           one module for each group of routes
page/             static files of the page
"""

from gtopss.extras import require_extra

require_extra("serve", "gtopss.http")
