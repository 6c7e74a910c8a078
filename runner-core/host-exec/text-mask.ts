/** What host execution asks of the mask of secrets: whatever it cuts, strips or shortens is masked before. */
export interface TextMask {
  maskText(text: string): string;
  /** For the beginning of a text that goes on unseen: what may begin a secret at its end is left out. */
  maskCut(text: string): string;
}
