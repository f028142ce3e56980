import Foundation
import TrendyHub
import TrendyModels

/// Many users with one device each. The users are written directly to storage, because the API would compare each new
/// name with all existing names.
struct Crowd {
  /// Device tokens, one per user.
  let tokens: [String]

  init(directory: String, users: Int) throws {
    let tokens = (0..<users).map { "token-\($0)-of-the-benchmark" }
    let now = Date()
    try EmbeddedHubStorage(directory: directory).writeDirectory { directory in
      for (number, token) in tokens.enumerated() {
        try directory.put(HubUser(id: "p\(number)", name: "user \(number)", createdAt: now))
        let hash = StableHash.sha256(Array(token.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        try directory.put(
          HubDevice(id: "d\(number)", user: "p\(number)", name: "phone", tokenHash: hash.joined(), createdAt: now))
      }
    }
    self.tokens = tokens
  }
}
