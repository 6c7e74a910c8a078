/** A remedy in the host's words. A command in it is shown as what it is: something to be typed. */
import type { JSX } from 'react';
import { remedyPieces } from './remedy-pieces.ts';

export function Remedy({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {remedyPieces(text).map((piece, index) =>
        piece.kind === 'words' ? piece.text : <code key={index}>{piece.text}</code>,
      )}
    </>
  );
}
