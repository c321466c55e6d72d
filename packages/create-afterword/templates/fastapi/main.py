"""pip install fastapi httpx python-dotenv uvicorn; uvicorn main:app --port 3000 --env-file .env"""

import uuid

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel

from afterword import handed_over_run

app = FastAPI()


class Question(BaseModel):
    question: str
    visitor: str = ""  # empty until the widget has loaded


@app.post("/api/answer")
async def answer(asked: Question) -> dict:
    session_id = str(uuid.uuid4())  # of the trace in your observability service
    text = f"You asked: {asked.question}"  # your agent's work
    # Where people sign in, take the respondent from your session, never from the page.
    run = await handed_over_run(asked.visitor, session_id)
    return {"text": text, "run": run or {"tokens": {}, "sessionId": session_id}}


app.mount("/", StaticFiles(directory="public", html=True))  # the page
