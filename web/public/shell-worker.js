// Caches the files of the page, so that a tab that is opened while Signalbox is down can show the
// last snapshot and its time. Requests of the API are never handled or cached here.
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
  const deleteOldCaches = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name)
    await self.clients.claim()
  }
  event.waitUntil(deleteOldCaches())
})

self.addEventListener('fetch', event => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin || pathname.startsWith('/api/')) return
  if (request.mode === 'navigate') event.respondWith(pageFromServer(request))
  else if (pathname.startsWith('/assets/')) event.respondWith(assetFromCache(request))
})

/** The page of the server, or the cached page if the server does not answer. */
async function pageFromServer(request) {
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

/** The name of an asset contains the hash of its content, so a cached asset is never stale. */
async function assetFromCache(request) {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}
