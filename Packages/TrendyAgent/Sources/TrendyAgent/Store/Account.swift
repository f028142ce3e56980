public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyModels

/// Hub and token of a connected store, in a separate file that only its owner can read.
public struct Account: Hashable, Sendable, Codable {
  /// Base URL of the hub's API.
  public var hub: URL
  /// Token of this device at the hub.
  public var token: String
  /// Id of this device at the hub.
  public var deviceId: String
  /// Name of the user's account at the hub.
  public var user: String

  /// Whether the token may be sent over an unencrypted connection. `nil` means `false`.
  public var allowsInsecureHTTP: Bool?

  private enum CodingKeys: String, CodingKey {
    case hub, token, deviceId
    case user = "person"
    case allowsInsecureHTTP
  }

  public init(hub: URL, token: String, deviceId: String, user: String, allowsInsecureHTTP: Bool? = nil) {
    self.hub = hub
    self.token = token
    self.deviceId = deviceId
    self.user = user
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }
}

extension Account {
  /// Short name of the hub: the host, and the port if the URL contains one.
  public var hubName: String {
    (hub.host(percentEncoded: false) ?? hub.absoluteString) + (hub.port.map { ":\($0)" } ?? "")
  }
}

/// Account file of a store.
public struct AccountFile: Hashable, Sendable {
  private let url: URL

  /// Creates a reference to `account.json` in a directory, which need not exist.
  public init(storeDirectory: URL) {
    url = storeDirectory.appending(path: "account.json")
  }

  /// Error thrown if the account file exists but cannot be read.
  public struct ReadError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    public let reason: String

    public var description: String { "cannot read the account in \(path): \(reason)" }
  }

  /// Returns the account, or `nil` for a store that is not connected to a hub.
  /// - Throws: ``ReadError`` if the file is damaged or cannot be opened.
  public func load() throws(ReadError) -> Account? {
    guard try read(Owner.self)?.token != nil else { return nil }
    return try read(Account.self)
  }

  /// Returns the user whose record the store contains, even after a disconnect, or `nil` if the store was never
  /// connected.
  public func owner() throws(ReadError) -> String? { try read(Owner.self)?.user }

  private func read<Content: Decodable>(_ type: Content.Type) throws(ReadError) -> Content? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw ReadError(path: url.path, reason: "cannot open the file")
    }
    do {
      return try WireJSON.decode(type, from: data)
    } catch {
      // Omit the decoder's error, because it quotes the document, which may contain a token.
      throw ReadError(path: url.path, reason: "the file is damaged")
    }
  }

  /// Error thrown if the store contains another user's record.
  public struct OtherPersonError: Error, Hashable, Sendable {}

  /// Replaces the file atomically. Only the file's owner can read it.
  /// - Parameters:
  ///   - account: Account to save.
  ///   - isReplacingOwner: Whether the store may change to another user's account, for example to rebuild a lost hub.
  /// - Throws: ``OtherPersonError`` if the store is connected to another user's account, possibly by another process.
  public func save(_ account: Account, isReplacingOwner: Bool = false) throws {
    let folder = url.deletingLastPathComponent().path
    let lock = open(folder, O_RDONLY | O_CLOEXEC)
    guard lock >= 0 else { throw OwnerOnlyFile.WriteError(path: url.path, code: errno) }
    // Closing the descriptor releases the lock.
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw OwnerOnlyFile.WriteError(path: url.path, code: errno) }
    }
    if !isReplacingOwner, let owner = try owner(), owner != account.user { throw OtherPersonError() }
    try OwnerOnlyFile.replace(url, with: WireJSON.encode(account))
  }

  /// Deletes the hub and the token. The user's name remains, so that only the same account can be connected again.
  public func disconnect(_ account: Account) throws {
    try OwnerOnlyFile.replace(url, with: WireJSON.encode(Owner(user: account.user)))
  }

  /// Content common to all account files. After a disconnect, the file contains nothing else.
  private struct Owner: Codable {
    var user: String
    var token: String?

    private enum CodingKeys: String, CodingKey {
      case user = "person"
      case token
    }
  }
}
