"""AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… uvicorn main:app"""

from typing import Annotated

from fastapi import Cookie, Depends, FastAPI, HTTPException
from langgraph.types import Command
from pydantic import BaseModel

from afterword import handed_over_run
from agent import graph

app = FastAPI()
people = {"cookie-of-jo": "jo"}  # stands for your own sign-in


class Message(BaseModel):
    text: str


def signed_in(session: Annotated[str | None, Cookie()] = None) -> str:
    if session not in people:
        raise HTTPException(401, "Sign in first")
    return people[session]


@app.post("/chat")
async def chat(message: Message, person: Annotated[str, Depends(signed_in)]) -> dict:
    # Person and session come from the server's own data; the page can name neither.
    config = {"configurable": {"thread_id": f"chat-of-{person}"}}
    waits = bool((await graph.aget_state(config)).next)
    given = Command(resume=message.text) if waits else {"messages": [("user", message.text)]}
    state = await graph.ainvoke(given, config)
    if (await graph.aget_state(config)).next:  # it waits for a person: the run has not ended
        return {"answer": "May I refund 20 euros?", "run": None}
    run = await handed_over_run(person, config["configurable"]["thread_id"], "csat", task_type="refund")
    return {"answer": state["messages"][-1].text, "run": run}
