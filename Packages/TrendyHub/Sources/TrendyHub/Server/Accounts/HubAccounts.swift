import Foundation
import TrendyModels
public import TrendyProtocols

/// Users, pairing codes, and device tokens.
///
/// Used by the hub and by the operator's commands, which may run in another process while the hub is running.
public struct HubAccounts: Sendable {
  /// Lifetime of a pairing code: ten minutes.
  public static let pairingLifetime: Duration = .seconds(600)

  let storage: any HubStorage
  let clock: any TimeSource
  let random: RandomSource

  /// Creates access to the accounts in a storage.
  public init(
    storage: any HubStorage, clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.init(storage: storage, clock: clock, random: RandomSource(generator))
  }

  init(storage: any HubStorage, clock: any TimeSource, random: RandomSource) {
    self.storage = storage
    self.clock = clock
    self.random = random
  }

  /// Creates a user.
  ///
  /// - Parameters:
  ///   - name: Non-empty name that is not in use.
  ///   - isFirst: Whether to fail if the hub already has users.
  /// - Throws: A ``Problem``: `invalid` if the name is empty or in use, `duplicate` if `isFirst` is set and the hub
  ///   already has users.
  public func createPerson(name: String, isFirst: Bool = false) throws -> HubUser {
    let now = clock.now
    let user = HubUser(id: random.identifier(at: now), name: name, createdAt: now)
    try checkName(name)
    try storage.writeDirectory { directory in
      if isFirst, try !directory.users().isEmpty {
        throw Problem("duplicate", status: 409, title: "Already exists", detail: "this hub already has users")
      }
      try Self.checkFree(name, in: directory)
      try directory.put(user)
    }
    return user
  }

  /// Renames a user.
  ///
  /// - Throws: A ``Problem``: `not_found`, or `invalid` if the name is empty or in use.
  public func rename(user id: String, to name: String) throws -> HubUser {
    try checkName(name)
    return try storage.writeDirectory { directory in
      var user = try Self.user(id, in: directory)
      try Self.checkFree(name, for: id, in: directory)
      user.name = name
      try directory.put(user)
      return user
    }
  }

  /// Returns the active users, sorted by name.
  public func users() throws -> [HubUser] { try all().filter { $0.removedAt == nil } }

  /// Returns the removed users whose data has not been erased yet, sorted by name.
  public func removedPeople() throws -> [HubUser] { try all().filter { $0.removedAt != nil } }

  private func all() throws -> [HubUser] {
    try storage.readDirectory { try $0.users() }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  private static func checkFree(
    _ name: String, for own: String? = nil, in directory: any HubDirectoryReading
  ) throws {
    let others = try directory.users().filter { $0.removedAt == nil && $0.id != own }
    guard !others.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
      throw Problem.invalid("name: this hub already has a user named \"\(name.prefix(60))\"")
    }
  }

  private static func user(_ id: String, in directory: any HubDirectoryReading) throws -> HubUser {
    guard let user = try directory.user(id: id) else {
      throw Problem.notFound("this hub has no user with the id \"\(id.prefix(60))\"")
    }
    return user
  }

  /// Removes a user: revokes the tokens of all devices and deletes the pairing codes. The user's data is kept.
  ///
  /// If `isErasing` is set, the data is scheduled to be erased by ``finishErasing(user:alongside:)``, which cannot be
  /// undone.
  ///
  /// - Throws: A ``Problem`` of kind `not_found`.
  public func remove(user id: String, isErasing: Bool) throws {
    let now = clock.now
    try storage.writeDirectory { directory in
      var user = try Self.user(id, in: directory)
      user.removedAt = user.removedAt ?? now
      user.isErasing = user.isErasing || isErasing
      let devices = try directory.devices().filter { $0.user == id }
      // Deleting the user also deletes the pairing codes.
      try directory.deletePerson(id: id)
      try directory.put(user)
      for var device in devices {
        device.revokedAt = device.revokedAt ?? now
        try directory.put(device)
      }
    }
  }

  /// Restores a removed user, who can then pair devices again. Tokens of earlier devices stay revoked.
  ///
  /// - Throws: A ``Problem``: `not_found`, or `invalid` if the name is in use or the data is being erased.
  public func restore(user id: String) throws {
    try storage.writeDirectory { directory in
      var user = try Self.user(id, in: directory)
      guard user.removedAt != nil else { return }
      guard !user.isErasing else { throw Problem.invalid("the data of \(user.name) is being erased") }
      try Self.checkFree(user.name, in: directory)
      user.removedAt = nil
      try directory.put(user)
    }
  }

  /// Erases the data of a user who was removed with `isErasing`, then deletes the user.
  ///
  /// Only the process that is serving the storage may call this, because it may have the user's files open. An
  /// interrupted call can be repeated. `alongside` erases data outside the storage.
  public func finishErasing(user: HubUser, alongside: (HubUser) throws -> Void = { _ in }) throws {
    guard user.isErasing else { return }
    try storage.erase(user: user.id)
    try alongside(user)
    try storage.writeDirectory { try $0.deletePerson(id: user.id) }
  }

  /// Creates a pairing code such as `4821-0937`, which pairs one device of a user within ten minutes.
  ///
  /// - Throws: A ``Problem`` of kind `not_found` if the user does not exist or was removed.
  public func createPairingCode(user: String) throws -> String {
    let digits = random.pairingDigits()
    let now = clock.now
    try storage.writeDirectory { directory in
      guard try Self.user(user, in: directory).removedAt == nil else {
        throw Problem.notFound("this user was removed from the hub")
      }
      try directory.deletePairingCodes(expiredBefore: now)
      try directory.put(
        HubPairingCode(
          hash: SHA256Digest.hexadecimal(of: digits), user: user,
          expiresAt: now.addingTimeInterval(Double(Self.pairingLifetime.components.seconds))))
    }
    return "\(digits.prefix(4))-\(digits.suffix(4))"
  }

  /// Exchanges a pairing code for a token. The token is returned only here, because the hub stores only its hash.
  ///
  /// Unknown, used and expired codes are handled in the same way, so an attacker cannot distinguish them.
  ///
  /// - Parameters:
  ///   - code: Eight digits, with or without a hyphen.
  ///   - deviceName: Non-empty name of the device.
  ///   - holder: Id of the user whose record the device already contains. A code for another user is rejected and stays
  ///     valid.
  ///   - former: Id of the client's previous device, if the client was paired before. That device is revoked if it
  ///     belongs to the same user as the code.
  ///   - address: Network address of the client, for counting its attempts, or `nil` for the hub's operator.
  /// - Throws: A ``Problem`` of kind `pairing_code_invalid`, `other_person` or `rate_limited`.
  public func pair(
    code: String, deviceName: String, holder: String? = nil, replacing former: String? = nil, address: String? = nil
  ) throws -> (token: String, device: HubDevice) {
    try checkName(deviceName, member: "device_name")
    let digits = code.filter { $0 != "-" && $0 != " " }
    let hash = SHA256Digest.hexadecimal(of: digits)
    // Storages have millisecond resolution.
    let now = Date(milliseconds: clock.now.milliseconds)
    let token = random.token()
    let tokenHash = SHA256Digest.hexadecimal(of: token)
    let keys = address.map { PairingGuard.keys(address: $0, codeHash: hash) } ?? []
    if !keys.isEmpty {
      let wait = try storage.writeDirectory { directory in
        // An expired code must not be distinguishable from an unknown one.
        try directory.deletePairingCodes(expiredBefore: now)
        return try PairingGuard.count(keys, now: now, in: directory)
      }
      if let wait {
        throw Problem(
          "rate_limited", status: 429, title: "Too many attempts",
          detail: "too many wrong pairing codes: wait, then request a new code", retryAfter: wait)
      }
    }
    let device = try storage.writeDirectory { directory in
      let found = try directory.pairingCode(hash: hash)
      guard let pairing = found, MessageAuthenticator.isEqual(Array(pairing.hash.utf8), Array(hash.utf8)),
        now < pairing.expiresAt
      else {
        throw Problem(
          "pairing_code_invalid", status: 403, title: "Invalid pairing code",
          detail:
            "the code is wrong, was already used, or is older than ten minutes: create a new one with `trendyd pair`")
      }
      if let holder, holder != pairing.user {
        throw Problem(
          "other_person", status: 409, title: "Code belongs to another user",
          detail:
            "this device contains the record of another user; the code remains valid until it is used or ten minutes old"
        )
      }
      if let former,
        var replaced = try directory.devices().first(where: {
          $0.id == former && $0.user == pairing.user && $0.revokedAt == nil
        })
      {
        replaced.revokedAt = now
        try directory.put(replaced)
      }
      let device = HubDevice(
        id: random.identifier(at: now), user: pairing.user,
        name: try Self.freeName(deviceName, user: pairing.user, in: directory),
        tokenHash: tokenHash, createdAt: now)
      try PairingGuard.forgive(keys, now: now, in: directory)
      try directory.deletePairingCode(hash: hash)
      try directory.put(device)
      return device
    }
    return (token, device)
  }

  /// Returns the name, with a number appended if another device of the user already has it: `vm`, `vm 2`.
  ///
  /// Names of revoked devices can be reused.
  private static func freeName(
    _ name: String, user: String, in directory: some HubDirectoryReading
  ) throws -> String {
    let taken = Set(try directory.devices().filter { $0.user == user && $0.revokedAt == nil }.map(\.name))
    guard taken.contains(name) else { return name }
    // Leave room for the number within the maximum length of a name.
    var beginning = name
    while beginning.utf8.count > 240 { beginning.removeLast() }
    var number = 2
    while taken.contains("\(beginning) \(number)") { number += 1 }
    return "\(beginning) \(number)"
  }

  /// Creates a token without a pairing code, for the hub's operator.
  public func createToken(user: String, deviceName: String) throws -> (token: String, device: HubDevice) {
    let code = try createPairingCode(user: user)
    return try pair(code: code, deviceName: deviceName)
  }

  /// Returns the devices of a user, or of all users, sorted by name.
  public func devices(user: String? = nil) throws -> [HubDevice] {
    try storage.readDirectory { try $0.devices() }
      .filter { user == nil || $0.user == user }
      .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// Stores the time of a device's request and the device's report, at most once an hour unless the report differs.
  func noteSeen(_ device: HubDevice, saying report: HubDeviceReport?) throws {
    let now = clock.now
    try storage.writeDirectory { directory in
      // Read the device again, because it may have been revoked in the meantime.
      guard var current = try directory.device(tokenHash: device.tokenHash), current.isToBeNoted(now, saying: report)
      else { return }
      current.seenAt = now
      current.report = report ?? current.report
      try directory.put(current)
    }
  }

  /// Revokes a device's token. Idempotent.
  ///
  /// - Throws: A ``Problem`` of kind `not_found`.
  public func revoke(deviceId: String) throws {
    try storage.writeDirectory { directory in
      guard var device = try directory.devices().first(where: { $0.id == deviceId }) else {
        throw Problem.notFound("device \"\(deviceId.prefix(60))\" not found")
      }
      guard device.revokedAt == nil else { return }
      device.revokedAt = clock.now
      try directory.put(device)
    }
  }

  /// Returns the device that owns a token.
  ///
  /// - Throws: A ``Problem`` with status 401 if the token is unknown or revoked.
  public func device(token: String) throws -> HubDevice {
    guard let device = try storage.readDirectory({ try $0.device(tokenHash: SHA256Digest.hexadecimal(of: token)) })
    else {
      throw Problem(
        "unauthorized", status: 401, title: "Not paired",
        detail: "unknown token: pair the device with a code from `trendyd pair`")
    }
    guard device.revokedAt == nil else {
      throw Problem(
        "token_revoked", status: 401, title: "Token revoked",
        detail: "the token of \"\(device.name)\" was revoked: pair the device again; its pending changes are not lost")
    }
    return device
  }

  private func checkName(_ name: String, member: String = "name") throws {
    guard (1...256).contains(name.utf8.count), name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw Problem.invalid("\(member): expected 1 to 256 bytes without control characters")
    }
  }
}

extension Problem {
  static func notFound(_ detail: String) -> Problem {
    Problem("not_found", status: 404, title: "Not found", detail: detail)
  }
}

extension HubDevice {
  /// Returns whether the stored contact time is at least an hour old, or the stored report differs from the new one.
  func isToBeNoted(_ now: Date, saying report: HubDeviceReport?) -> Bool {
    seenAt.map { now.timeIntervalSince($0) >= 3600 } ?? true || report?.differs(from: self.report) == true
  }
}
