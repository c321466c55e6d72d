/** The database would lose acknowledged answers, or cannot hold them; an operator has to change it. */
export class UnsafeDatabase extends Error {
  constructor(fault: string) {
    super(fault);
    this.name = "UnsafeDatabase";
  }
}
