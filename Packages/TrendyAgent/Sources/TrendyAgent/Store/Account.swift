public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
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

  /// A file that is there and is no account.
  public struct ReadError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    public let reason: String

    public var description: String { "\(path) is no account that can be read: \(reason)" }
  }

  /// `nil` where the store is paired with no hub.
  /// - Throws: ``ReadError`` for a file that is damaged, or that this user may not read.
  public func load() throws(ReadError) -> Account? {
    guard try read(Owner.self)?.token != nil else { return nil }
    return try read(Account.self)
  }

  /// Whose record the store holds, also when it was disconnected; `nil` where it was never paired.
  public func owner() throws(ReadError) -> String? { try read(Owner.self)?.person }

  private func read<Content: Decodable>(_ type: Content.Type) throws(ReadError) -> Content? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw ReadError(path: url.path, reason: "it cannot be opened")
    }
    do {
      return try WireJSON.decode(type, from: data)
    } catch {
      // Not what the decoder says: it quotes the document, and a token may stand in it.
      throw ReadError(path: url.path, reason: "it is damaged")
    }
  }

  /// The store contains the record of another user.
  public struct OtherPersonError: Error, Hashable, Sendable {}

  /// Replaces the file whole: written beside it, unreadable to others from its first byte, then renamed.
  /// - Parameters:
  ///   - account: written to the file.
  ///   - isReplacingOwner: whether the store may change to the account of another user, as when a lost hub is rebuilt.
  /// - Throws: ``OtherPersonError`` if another process has connected the store to the account of another user meanwhile.
  public func save(_ account: Account, isReplacingOwner: Bool = false) throws {
    let folder = url.deletingLastPathComponent().path
    let lock = open(folder, O_RDONLY | O_CLOEXEC)
    guard lock >= 0 else { throw OwnerOnlyFile.WriteError(path: url.path, code: errno) }
    // Closing it releases the lock.
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw OwnerOnlyFile.WriteError(path: url.path, code: errno) }
    }
    if !isReplacingOwner, let owner = try owner(), owner != account.person { throw OtherPersonError() }
    try OwnerOnlyFile.replace(url, with: WireJSON.encode(account))
  }

  /// Forgets hub and token. Whose record it is stays: it goes on with the same account, and with no other.
  public func disconnect(_ account: Account) throws {
    try OwnerOnlyFile.replace(url, with: WireJSON.encode(Owner(person: account.person)))
  }

  /// What every account file has, and all that is left of one that was disconnected.
  private struct Owner: Codable {
    var person: String
    var token: String?
  }
}
