const retryable = [408, 425, 429];

/**
 * Whether the very same request may succeed later after a reply of this status: 408, 425, 429 and all 5xx. The status
 * decides, since the reply of a proxy has no problem code. Without zod, so that a browser may import it.
 */
export const isRetryableStatus = (status: number): boolean => retryable.includes(status) || status >= 500;
