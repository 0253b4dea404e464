import { parentPort, workerData } from 'node:worker_threads'
import { serveReaders } from './reader-threads.js'

serveReaders(parentPort!, workerData as SharedArrayBuffer)
