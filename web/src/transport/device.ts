// The device key: imported once, never readable again, shared by the tabs of this browser. What a copied page or another port of this
// host could steal is at most one proof, and a proof is good for one request.

export interface Device {
  id: string
  key: CryptoKey
  expiresAt: number | null
}

const DATABASE = 'signalbox'
const STORE = 'device'
const RECORD = 'current'
const SNAPSHOT = 'snapshot'

export async function loadDevice(): Promise<Device | null> {
  const record = await inStore<Device | undefined>('readonly', store => store.get(RECORD))
  return record ?? null
}

/** With the key goes what it let the page see. */
export async function forgetDevice(): Promise<void> {
  await inStore('readwrite', store => store.clear())
}

/** What was known last, for a tab that is opened while the server is down. It lives no longer than the key. */
export async function keepSnapshot(snapshot: { at: number; body: unknown }): Promise<void> {
  await inStore('readwrite', store => store.put(snapshot, SNAPSHOT))
}

export async function loadSnapshot(): Promise<{ at: number; body: unknown } | null> {
  return (await inStore<{ at: number; body: unknown } | undefined>('readonly', store => store.get(SNAPSHOT))) ?? null
}

/** Imports the key as one that can sign and cannot be read, and keeps it. */
export async function keepDevice(id: string, secret: string, expiresAt: number | null): Promise<Device> {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const device: Device = { id, key, expiresAt }
  await inStore('readwrite', store => store.put(device, RECORD))
  return device
}

/** base64url or hex, as 256 bits come. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  if (/^[0-9a-f]{64}$/i.test(text)) return Uint8Array.from(text.match(/../g)!, pair => Number.parseInt(pair, 16))
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}

async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const database = await openDatabase()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode)
      const request = act(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request.result as T)
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser refused to keep the device key'))
    })
  } finally {
    database.close()
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser has no place for the device key'))
  })
}
