// An app is one realm. In Jest, fetch is that of the Node outside, and what `json()` makes is no `Object` of the test.
Response.prototype.json = async function json() {
  return JSON.parse(await this.text());
};
