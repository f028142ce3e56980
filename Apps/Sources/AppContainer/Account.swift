#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import TrendyModels

/// Which hub this store is paired with, and the token that the hub knows it by.
///
/// Kept in a file of its own beside the store, readable by its owner alone.
public struct Account: Hashable, Sendable, Codable {
  public var hub: URL
  public var token: String
  public var deviceId: String
  public var person: String

  /// Whether the token may cross a network in clear text; absent means no.
  public var allowsInsecureHTTP: Bool?

  public init(hub: URL, token: String, deviceId: String, person: String, allowsInsecureHTTP: Bool? = nil) {
    self.hub = hub
    self.token = token
    self.deviceId = deviceId
    self.person = person
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }
}

extension Account {
  /// The hub as a person knows it: its host, and its port where there is one.
  public var hubName: String {
    (hub.host(percentEncoded: false) ?? hub.absoluteString) + (hub.port.map { ":\($0)" } ?? "")
  }
}

/// The account file of a store.
public struct AccountFile: Hashable, Sendable {
  private let url: URL

  public init(storeDirectory: URL) {
    url = storeDirectory.appending(path: "account.json")
  }

  /// `nil` where the store was never paired.
  public func load() throws -> Account? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try WireJSON.decode(Account.self, from: Data(contentsOf: url))
  }

  /// Replaces the file whole: written beside it, unreadable to others from its first byte, then renamed.
  public func save(_ account: Account) throws {
    try OwnerOnlyFile.replace(url, with: WireJSON.encode(account))
  }

  public func remove() throws {
    if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
  }
}
