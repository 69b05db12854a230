// Placeholder for a video's preview while there is none, or if none can be made: a plain dark surface, since
// a URL without a picture is an error on every client's page. It is sixteen by nine pixels; clients stretch
// it to the video's proportions.

import { makeEntry } from './cache/cache-entry.ts'

export const NO_THUMBNAIL = makeEntry(
  'image/jpeg',
  Buffer.from(
    [
      '/9j/2wBDABAQEBAREBIUFBIZGxgbGSUiHx8iJTgoKygrKDhVNT41NT41VUtbSkVKW0uHal5eaoecg3yDnL2pqb3u',
      '4u7/////2wBDARAQEBAREBIUFBIZGxgbGSUiHx8iJTgoKygrKDhVNT41NT41VUtbSkVKW0uHal5eaoecg3yDnL2p',
      'qb3u4u7/////wgARCAAJABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAVAQEBAAAAAAAAAAAA',
      'AAAAAAAAAf/aAAwDAQACEAMQAAAAixX/xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAE/AB//xAAUEQEAAAAA',
      'AAAAAAAAAAAAAAAA/9oACAECAQE/AH//xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oACAEDAQE/AH//2Q==',
    ].join(''),
    'base64',
  ),
)
