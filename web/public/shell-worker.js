// The page itself without its server: its files, kept so that a tab opened while Signalbox is down can show what was known last and say
// since when. Nothing of the API ever goes through here or is kept here.
const CACHE = 'signalbox-shell-1'
const PAGE = '/index.html'

self.addEventListener('install', event => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then(cache => cache.add(PAGE))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', event => {
  const tidy = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name)
    await self.clients.claim()
  }
  event.waitUntil(tidy())
})

self.addEventListener('fetch', event => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin || pathname.startsWith('/api/')) return
  if (request.mode === 'navigate') event.respondWith(pageFirstFromServer(request))
  else if (pathname.startsWith('/assets/')) event.respondWith(assetOnce(request))
})

/** The server's own page whenever it answers; the kept one when nobody does. */
async function pageFirstFromServer(request) {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetch(request)
    const isPage = response.ok && (response.headers.get('content-type') ?? '').startsWith('text/html')
    if (isPage) await cache.put(PAGE, response.clone())
    return response
  } catch (error) {
    const kept = await cache.match(PAGE)
    if (kept) return kept
    throw error
  }
}

/** Names of assets hold their content's hash: what is kept under a name is what the server would send. */
async function assetOnce(request) {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}
