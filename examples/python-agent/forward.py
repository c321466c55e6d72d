"""AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… python forward.py: one pass over the ratings; run it from cron."""

import asyncio
import json

from afterword import acknowledge, pending_scores


async def main() -> None:
    async for score in pending_scores():
        score.pop("text", None)  # people's own words are personal data
        print(json.dumps(score), flush=True)  # stands for the push to your observability service
        await acknowledge([score["id"]])  # only once that service has confirmed it


asyncio.run(main())
