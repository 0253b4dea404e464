// Caches the files of the page, so that a tab that is opened while Signalbox is down can show the
// last snapshot and its time. Requests of the API are never handled or cached here. Shows
// notifications of the server, also while no tab is open.
const CACHE = 'signalbox-shell-1'
const PAGE = '/index.html'
// An answer that a person pressed in a notification, for the page that carries it out.
const ANSWERS = 'signalbox-answers'
const ANSWER = '/pressed-answer'

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
    for (const name of await caches.keys()) if (name !== CACHE && name !== ANSWERS) await caches.delete(name)
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

const LABELS = { allow: 'Allow once', deny: 'Deny' }

self.addEventListener('push', event => {
  const { title, body, tag, url, approval, answers = [] } = event.data.json()
  const shown = self.registration.showNotification(title, {
    body,
    tag,
    renotify: true,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: { url, approval },
    actions: answers.map(answer => ({ action: answer, title: LABELS[answer] })),
  })
  event.waitUntil(shown.then(countOnIcon))
})

/**
 * The number on the icon of the installed app while no page is open: what was notified and not yet
 * opened. An open page counts what needs you itself.
 */
async function countOnIcon() {
  if (!navigator.setAppBadge) return
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (pages.length > 0) return
  const { length } = await self.registration.getNotifications()
  await (length > 0 ? navigator.setAppBadge(length) : navigator.clearAppBadge()).catch(() => undefined)
}

self.addEventListener('notificationclose', event => event.waitUntil(countOnIcon()))

self.addEventListener('notificationclick', event => {
  const { url = '/', approval } = event.notification.data ?? {}
  event.notification.close()
  const isAnswer = approval && event.action
  event.waitUntil((isAnswer ? answer(approval, event.action) : open(url)).then(countOnIcon))
})

/**
 * The page answers, because it has the key of this browser. An address alone never answers: the
 * answer is handed over in a store that only this origin can write.
 */
async function answer(approval, action) {
  const pressed = JSON.stringify({ approval, answer: action, at: Date.now() })
  const store = await caches.open(ANSWERS)
  await store.put(ANSWER, new Response(pressed))
  const [page] = await self.clients.matchAll({ type: 'window' })
  if (page) page.postMessage({ type: 'answer' })
  else await self.clients.openWindow(`/a/${approval}`)
}

async function open(url) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find(({ visibilityState }) => visibilityState === 'visible') ?? pages[0]
  if (!page) return self.clients.openWindow(url)
  await page.focus()
  page.postMessage({ type: 'open', url })
}
