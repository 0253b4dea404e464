interface ScriptUrls {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string }
}

/** The only script URL that the page creates. Its Trusted Types policy accepts no other. */
const PATH = '/shell-worker.js'

/**
 * Keeps the files of the page in the browser, so that it opens while the server is down. The page
 * also works without it.
 */
export function cacheShell(): void {
  if (!('serviceWorker' in navigator)) return
  const { trustedTypes } = globalThis as { trustedTypes?: ScriptUrls }
  const policy = trustedTypes?.createPolicy('signalbox-shell', { createScriptURL: () => PATH })
  addEventListener('load', () => {
    void navigator.serviceWorker.register(policy?.createScriptURL(PATH) ?? PATH).catch(() => undefined)
  })
}
