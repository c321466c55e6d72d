import { StoreUnavailable } from "@afterword/reference-server/internal";

/** An audit line cannot be written. Becomes 503, or exit code 4, as an unavailable database does. */
export class AuditUnavailable extends StoreUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.message = message;
    this.name = "AuditUnavailable";
  }
}
