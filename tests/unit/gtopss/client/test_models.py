"""The dataclasses have the members that the service's OpenAPI document describes."""

from __future__ import annotations

from dataclasses import fields

import pytest
from support.services import served

from gtopss.client import models

SCHEMAS = {
    models.Check: "CheckResponse",
    models.NewSubscription: "SubscribeResponse",
    models.Subscription: "SubscriptionResponse",
    models.ListedSubscription: "ListedSubscription",
    models.Renewed: "RenewResponse",
    models.Item: "ItemModel",
    models.Source: "SourceModel",
    models.Notification: "NotificationModel",
    models.Matches: "MatchesResponse",
    models.Accepted: "AcceptedModel",
    models.PublishResult: "PublishResultModel",
    models.Published: "PublishResponse",
    models.Feed: "FeedModel",
    models.FeedPush: "PushModel",
    models.AddedFeed: "AddFeedResponse",
    models.ImportedFeeds: "ImportResponse",
    models.DryRun: "DryRunModel",
    models.ReadAddress: "ReadAddressResponse",
    models.NewTarget: "NewTargetResponse",
}


def test_members_are_those_of_the_schema() -> None:
    with served() as it:
        schemas = it.client.get("/openapi.json").json()["components"]["schemas"]
    for kind, name in SCHEMAS.items():
        missing = {each.name for each in fields(kind)} - set(schemas[name]["properties"])
        assert not missing, (name, missing)


@pytest.mark.parametrize("data", [None, [], {"id": 7, "expires_at": None}, {"id": "s", "expires_at": "soon"}, {}])
def test_what_is_not_of_the_type_is_refused(data: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        models.from_json(models.Renewed, data)
