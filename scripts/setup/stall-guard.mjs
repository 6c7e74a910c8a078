// @ts-check
/** A fetch that fails once nothing has come for a while, where Node's own would wait for minutes. */

/**
 * @param {typeof fetch} given
 * @param {number} silenceMs how long nothing may come, from the call on
 * @returns {typeof fetch} ends with the reason `TimeoutError`; whoever gave a signal of their own keeps it
 */
export function guarded(given, silenceMs) {
  return async (input, init = {}) => {
    const silence = new AbortController();
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        silence.abort(new DOMException(`Nothing came for ${silenceMs} ms`, 'TimeoutError'));
      }, silenceMs);
    };
    listen();
    const { signal } = init;
    const signals = signal === null || signal === undefined ? [] : [signal];
    try {
      const response = await given(input, {
        ...init,
        signal: AbortSignal.any([silence.signal, ...signals]),
      });
      if (response.body === null) {
        clearTimeout(timer);
        return response;
      }
      listen();
      const watched = response.body.pipeThrough(
        new TransformStream({
          transform(chunk, controller) {
            listen();
            controller.enqueue(chunk);
          },
          flush: () => clearTimeout(timer),
        }),
      );
      const { status, statusText, headers } = response;
      return new Response(watched, { status, statusText, headers });
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  };
}
