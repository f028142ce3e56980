import TrendyAgent
public import CommandSupport
public import Foundation
public import TrendyHub
import TrendyHubPostgres
import TrendyModels

/// What the one who runs a hub said of it: kept in `hub.json` of its folder by `hub init`, and said over by the options
/// of `run`.
public struct HubSettings: Hashable, Sendable, Codable {
  /// Address of a database of PostgreSQL, without a password; `nil` where the data lies in the hub's folder.
  public var storage: String?
  /// `address:port`; `nil` for ``standardListen``.
  public var listen: String?
  /// Names besides loopback's under which the hub is asked.
  public var hosts: [String] = []
  /// Where devices find the hub, if not at the name and port at which it listens: the address of a reverse proxy.
  public var address: String?
  /// Reverse proxies, as ``HubConfiguration/trustedProxies``.
  public var proxies: [String] = []
  /// What the pages draw below their maps, as ``MapTiles``: a folder or an address; `nil` for blank ground.
  public var tiles: String?
  /// Who made these tiles, in words that stand on the map.
  public var tilesCredit: String?
  /// Limits by their names, as they were given: see ``limitNames``.
  public var limits: [String: String] = [:]

  public static let standardListen = "127.0.0.1:8787"

  public init() {}

  /// Missing members are as if nothing had been said.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    storage = try members.decodeIfPresent(String.self, forKey: .storage)
    listen = try members.decodeIfPresent(String.self, forKey: .listen)
    hosts = try members.decodeIfPresent([String].self, forKey: .hosts) ?? []
    address = try members.decodeIfPresent(String.self, forKey: .address)
    proxies = try members.decodeIfPresent([String].self, forKey: .proxies) ?? []
    tiles = try members.decodeIfPresent(String.self, forKey: .tiles)
    tilesCredit = try members.decodeIfPresent(String.self, forKey: .tilesCredit)
    limits = try members.decodeIfPresent([String: String].self, forKey: .limits) ?? [:]
  }

  /// What these options say instead of what was kept, each option for itself.
  /// - Throws: ``CommandError`` for a value that cannot be.
  public func saidOver(by arguments: Arguments) throws(CommandError) -> HubSettings {
    var settings = self
    if let text = arguments.value("--storage") { settings.storage = text }
    if let text = arguments.value("--listen") { settings.listen = text }
    if arguments.has("--host") { settings.hosts = arguments.all("--host") }
    if let text = arguments.value("--url") { settings.address = text }
    if arguments.has("--proxy") { settings.proxies = arguments.all("--proxy") }
    if let text = arguments.value("--tiles") {
      // A hub that runs as a service begins in another folder.
      settings.tiles = text.contains("://") ? text : URL(filePath: text).standardized.path
    }
    if let text = arguments.value("--tiles-credit") { settings.tilesCredit = text }
    try settings.take(limits: arguments.all("--limit"))
    try settings.check()
    return settings
  }

  /// - Throws: ``CommandError`` naming the first value that cannot be.
  func check() throws(CommandError) {
    if let storage { try Self.check(storage: storage) }
    _ = try endpoint()
    for proxy in proxies where NetworkAddressRange(proxy) == nil {
      throw Self.invalid("--proxy", proxy, "It is an address, or a block of them: 127.0.0.1, 10.0.0.0/8, fd00::/8.")
    }
    for host in hosts where host.isEmpty || host.contains(where: { $0 == "/" || $0.isWhitespace }) {
      throw Self.invalid("--host", host, "It is a name or an address, without http:// and without a port.")
    }
    if let address, Self.host(of: address) == nil {
      throw Self.invalid("--url", address, "It looks like https://hub.example.")
    }
    if let tiles, MapTiles(tiles) == nil {
      throw Self.invalid(
        "--tiles", tiles, "It is a folder with its whole path, or looks like https://tiles.example/{z}/{x}/{y}.png.")
    }
    _ = try httpLimits()
    _ = try requestsPerMinute()
    _ = try importBytes()
    _ = try quota()
  }

  /// The address itself is not repeated: there may be a password in it.
  public static func check(storage: String, option: String = "--storage") throws(CommandError) {
    do {
      _ = try PostgresHubStorage(address: storage)
    } catch {
      throw CommandError(
        "The value is invalid for '\(option)': \(error)", hint: "It looks like postgres://trendy@db.lan/trendy.",
        exit: .usage)
    }
  }

  static func invalid(_ option: String, _ value: String, _ hint: String) -> CommandError {
    CommandError("The value '\(value)' is invalid for '\(option)'", hint: hint, exit: .usage)
  }
}

// MARK: Limits

extension HubSettings {
  /// A limit by its name on the command line, which is its name in ``HTTPLimits``.
  enum HTTPLimit: String, CaseIterable {
    case headBytes, targetBytes, headerFields, bodyBytes, connections, connectionsPerAddress
    case headDeadline, idleDeadline, bodyDeadline, sendIdleDeadline, stopDeadline

    var number: (field: WritableKeyPath<HTTPLimits, Int>, range: ClosedRange<Int>)? {
      switch self {
      case .headBytes: (\.headBytes, 1024...1 << 20)
      case .targetBytes: (\.targetBytes, 256...1 << 20)
      case .headerFields: (\.headerFields, 8...10_000)
      case .bodyBytes: (\.bodyBytes, 4096...1 << 30)
      case .connections: (\.connections, 1...1 << 20)
      case .connectionsPerAddress: (\.connectionsPerAddress, 1...1 << 20)
      default: nil
      }
    }

    var duration: (field: WritableKeyPath<HTTPLimits, Duration>, range: ClosedRange<Int>)? {
      switch self {
      case .headDeadline: (\.headDeadline, 1...3600)
      case .idleDeadline: (\.idleDeadline, 1...86_400)
      case .bodyDeadline: (\.bodyDeadline, 1...86_400)
      case .sendIdleDeadline: (\.sendIdleDeadline, 1...86_400)
      case .stopDeadline: (\.stopDeadline, 0...300)
      default: nil
      }
    }
  }

  private static let requestsPerMinuteName = "requestsPerMinute"
  private static let importBytesName = "importBytes"
  private static let quotaNames = (rows: "personRows", bytes: "personBytes")
  /// Those that are no limits of the transport.
  private static let otherNames = [requestsPerMinuteName, importBytesName, quotaNames.rows, quotaNames.bytes]

  /// What `--limit NAME=VALUE` can name.
  public static var limitNames: [String] {
    otherNames + HTTPLimit.allCases.map(\.rawValue)
  }

  /// Bytes of a file that a person sends, at most.
  public func importBytes() throws(CommandError) -> Int64 {
    guard let text = limits[Self.importBytesName] else { return 4 << 30 }
    guard let number = Int64(text), (4096...1 << 40).contains(number) else {
      throw Self.invalid(
        "--limit", "\(Self.importBytesName)=\(text)", "It is a number of bytes from 4096 to \(Int64(1) << 40).")
    }
    return number
  }

  /// The quota of persons who have none of their own.
  /// - Throws: ``CommandError`` for a value that cannot be.
  public func quota() throws(CommandError) -> HubQuota {
    func number(_ name: String) throws(CommandError) -> Int64? {
      guard let text = limits[name], text != "none" else { return nil }
      guard let number = Int64(text), number >= 0 else {
        throw Self.invalid("--limit", "\(name)=\(text)", "It is a number from 0, or none.")
      }
      return number
    }
    return HubQuota(rows: try number(Self.quotaNames.rows), bytes: try number(Self.quotaNames.bytes))
  }

  /// Connections at once that were chosen; `nil` for as many as there are descriptors for.
  /// - Throws: ``CommandError`` for limits that cannot be.
  public func connections() throws(CommandError) -> Int? {
    try limits[HTTPLimit.connections.rawValue] == nil ? nil : httpLimits().connections
  }

  /// Requests of one device in a minute; `nil` for no limit.
  public func requestsPerMinute() throws(CommandError) -> Int? {
    guard let text = limits[Self.requestsPerMinuteName] else { return HubConfiguration().requestsPerMinute }
    if text == "none" { return nil }
    guard let number = Int(text), (1...1_000_000).contains(number) else {
      throw Self.invalid("--limit", "requestsPerMinute=\(text)", "It is a number from 1 to 1000000, or none.")
    }
    return number
  }

  /// The limits of the transport. A hub that is asked to end does so within a second, of which it drains for this unless told
  /// otherwise.
  public func httpLimits() throws(CommandError) -> HTTPLimits {
    var result = HTTPLimits()
    result.stopDeadline = .milliseconds(400)
    for (name, text) in limits.sorted(by: { $0.key < $1.key })
    where !Self.otherNames.contains(name) {
      guard let limit = HTTPLimit(rawValue: name) else {
        let near = Suggestion.nearest(to: name, among: Self.limitNames)
        throw Self.invalid(
          "--limit", "\(name)=\(text)",
          near.map { "Did you mean '\($0)'?" } ?? "There are: \(Self.limitNames.joined(separator: ", ")).")
      }
      if let (field, range) = limit.number {
        guard let number = Int(text), range.contains(number) else {
          throw Self.invalid(
            "--limit", "\(name)=\(text)", "It is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        result[keyPath: field] = number
      } else if let (field, range) = limit.duration {
        guard let seconds = DurationPhrase.seconds(text), range.contains(Int(seconds)) else {
          throw Self.invalid(
            "--limit", "\(name)=\(text)",
            "It is a duration from \(range.lowerBound)s to \(range.upperBound)s, such as 10s.")
        }
        result[keyPath: field] = .seconds(seconds)
      }
    }
    return result
  }
}

// MARK: The file

extension HubSettings {
  static let fileName = "hub.json"

  /// As kept in a hub's folder; as if nothing had been said where there is no file.
  /// - Throws: ``CommandError`` for a file that cannot be read: what was said is not passed over.
  public static func load(from directory: URL) throws(CommandError) -> HubSettings {
    let file = directory.appending(path: fileName)
    guard let data = FileManager.default.contents(atPath: file.path) else {
      guard !FileManager.default.fileExists(atPath: file.path) else {
        throw CommandError("\(file.path) cannot be read", hint: "Give this user the right to.", exit: .configuration)
      }
      return HubSettings()
    }
    let settings: HubSettings
    do {
      settings = try WireJSON.decode(HubSettings.self, from: data)
    } catch {
      throw CommandError(
        "\(file.path) cannot be read: \(error)", hint: "Mend it, or remove it and say the options again.",
        exit: .configuration)
    }
    do {
      try settings.check()
    } catch {
      throw CommandError("\(file.path): \(error.message)", hint: error.hint, exit: .configuration)
    }
    return settings
  }

  public func save(to directory: URL) throws(CommandError) {
    let file = directory.appending(path: Self.fileName)
    do {
      try OwnerOnlyFile.replace(file, with: try WireJSON.encode(self))
    } catch {
      throw CommandError("\(file.path) cannot be written: \(error)", exit: .cannotCreate)
    }
  }
}
