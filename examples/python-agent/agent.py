"""A LangGraph agent with a tool and a person's approval. A fake stands for the model."""

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

model = FakeListChatModel(responses=["Done: 20 euros are on their way back to you."])


def approve(state: MessagesState) -> dict:
    if "refund" in state["messages"][-1].text:
        interrupt("Refund 20 euros?")
    return {}


async def answer(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = (
    StateGraph(MessagesState)
    .add_node(approve)
    .add_node(answer)
    .add_edge(START, "approve")
    .add_edge("approve", "answer")
    .add_edge("answer", END)
    .compile(checkpointer=MemorySaver())
)
