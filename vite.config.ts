/**
 * How the page is built and served while it is worked on. The built page has no inline script, style or
 * data address beside images, since the host sends a policy that forbids them.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The host that `npm run dev` works against; scripts/dev.mjs sets it. */
const hostAddress = process.env['PAGE_DEV_HOST'] ?? 'http://127.0.0.1:4188';

export default defineConfig({
  root: folder('renderer/'),
  base: './',
  plugins: [react()],
  build: {
    outDir: folder('out/page/'),
    emptyOutDir: true,
    sourcemap: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  worker: { format: 'es' },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: false,
    // The host refuses what does not name its own address, so both headers are made to; the origin only for what
    // comes from the page as it is served here. Whatever else reaches this port is refused as it is without it.
    proxy: {
      '/api': {
        target: hostAddress,
        changeOrigin: true,
        ws: true,
        configure(proxy) {
          const asOfTheHost = (outgoing: ClientRequest, { headers }: IncomingMessage): void => {
            if (headers.origin === `http://${headers.host ?? ''}`)
              outgoing.setHeader('origin', hostAddress);
          };
          proxy.on('proxyReq', asOfTheHost);
          proxy.on('proxyReqWs', asOfTheHost);
        },
      },
    },
    fs: { allow: [folder('.')] },
  },
});
