"""The application: all routes, and what surrounds them."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.staticfiles import StaticFiles

import gtopss
from gtopss.http.problems import add_error_handlers
from gtopss.http.protection import Protection
from gtopss.http.routes import (
    catalogue,
    feeds,
    notifications,
    operations,
    publications,
    subscriptions,
    targets,
    websub,
)
from gtopss.http.schema import add_schema
from gtopss.http.service import Service
from gtopss.http.starting import PAGE

ROUTERS = (publications, subscriptions, notifications, targets, feeds, websub, catalogue, operations)


def create_app(service: Service) -> FastAPI:
    """Return the application of a service. The caller closes the service."""
    app = FastAPI(title="G-ToPSS", version=gtopss.__version__, docs_url=None, redoc_url=None)
    app.state.service = service
    for module in ROUTERS:  # not as included routers: these are searched twice for each request
        app.router.routes.extend(module.router.routes)
    add_error_handlers(app)
    add_schema(app)
    app.mount("/", StaticFiles(directory=PAGE, html=True), name="page")
    if service.settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(service.settings.cors_origins),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["Authorization", "X-API-Key", "Content-Type", "Last-Event-ID", "X-Request-ID"],
            expose_headers=["Location", "ETag", "X-Request-ID"],
        )
    app.add_middleware(Protection, settings=service.settings, metrics=service.metrics)
    return app
