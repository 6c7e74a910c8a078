/** Lines of the job's own output that mean something to the owner (control-plane.md §6.8). */
export interface JobMarker {
  readonly kind: string;
}
