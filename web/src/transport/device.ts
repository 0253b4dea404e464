// The device key: imported once, not extractable, shared by the tabs of this browser. A script on
// another port of this host can steal at most one proof, and a proof is valid for one request.

export interface Device {
  id: string
  key: CryptoKey
  expiresAt: number
}

const DATABASE = 'signalbox'
const STORE = 'device'
const RECORD = 'current'
const SNAPSHOT = 'snapshot'

export async function loadDevice(): Promise<Device | null> {
  const record = await inStore<Device | undefined>('readonly', store => store.get(RECORD))
  return record ?? null
}

/** Deletes the key and the snapshot that was loaded with it. */
export async function forgetDevice(): Promise<void> {
  await inStore('readwrite', store => store.clear())
}

/**
 * Keeps the last snapshot for a tab that is opened while the server is down. It is deleted with the
 * key.
 */
export async function keepSnapshot(snapshot: { at: number; body: unknown }): Promise<void> {
  await inStore('readwrite', store => store.put(snapshot, SNAPSHOT))
}

export async function loadSnapshot(): Promise<{ at: number; body: unknown } | null> {
  return (await inStore<{ at: number; body: unknown } | undefined>('readonly', store => store.get(SNAPSHOT))) ?? null
}

/** Imports the key for signing only, not extractable, and keeps it. */
export async function keepDevice(id: string, secret: string, expiresAt: number): Promise<Device> {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const device: Device = { id, key, expiresAt }
  await inStore('readwrite', store => store.put(device, RECORD))
  return device
}

/** Decodes base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
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
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser refused to store the device key'))
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
    request.onerror = () => reject(request.error ?? new Error('the browser has no storage for the device key'))
  })
}
