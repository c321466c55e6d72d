"""The Python client as the kit drives it (docs/reference/conformance.md): one task, then one line of JSON."""

import asyncio
import json
import os
import sys

sys.path.insert(0, os.environ["PYTHON_CLIENT_FOLDER"])
import httpx  # noqa: E402
from afterword import acknowledge, handed_over_run, pending_scores  # noqa: E402


async def mint(task: dict) -> dict:
    run = await handed_over_run(task["respondentId"], task["sessionId"], task["surveyId"])
    return {"tokens": run["tokens"] if run else {}}


async def forward(_task: dict) -> dict:
    async with httpx.AsyncClient() as sink:
        async for score in pending_scores():
            reply = await sink.post(os.environ["AFTERWORD_SINK_URL"], json=score)
            if reply.is_success:
                await acknowledge([score["id"]])
    return {}


roles = {"mint": mint, "forward": forward}
print(json.dumps(asyncio.run(roles[os.environ["AFTERWORD_ROLE"]](json.loads(os.environ["AFTERWORD_TASK"])))))
