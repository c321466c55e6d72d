/** The run lacks what a clause needs: keys, an origin, or the permission to destroy. */
export class NotTestable extends Error {
  override name = "NotTestable";
}
