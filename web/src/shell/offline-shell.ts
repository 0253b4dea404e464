interface ScriptUrls {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string }
}

/** The one script address that is ever made: a constant. The page's policy takes no plain text where a script is named. */
const PATH = '/shell-worker.js'

/** Keeps the page's files in the browser, so that it opens while the server is down. Without it the page works all the same. */
export function keepShell(): void {
  if (!('serviceWorker' in navigator)) return
  const { trustedTypes } = globalThis as { trustedTypes?: ScriptUrls }
  const policy = trustedTypes?.createPolicy('signalbox-shell', { createScriptURL: () => PATH })
  addEventListener('load', () => {
    void navigator.serviceWorker.register(policy?.createScriptURL(PATH) ?? PATH).catch(() => undefined)
  })
}
