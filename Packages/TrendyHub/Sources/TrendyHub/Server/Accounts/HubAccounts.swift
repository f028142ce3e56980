import Foundation
import TrendyModels
public import TrendyProtocols

/// Who may come in, and how: persons, pairing codes, and a token for each device.
///
/// For the hub itself and for the commands of the one who runs it, also from another process while the hub runs.
public struct HubAccounts: Sendable {
  /// How long a pairing code works.
  public static let pairingLifetime: Duration = .seconds(600)

  let storage: any HubStorage
  let clock: any TimeSource
  let chance: RandomSource

  public init(
    storage: any HubStorage, clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.init(storage: storage, clock: clock, chance: RandomSource(generator))
  }

  init(storage: any HubStorage, clock: any TimeSource, chance: RandomSource) {
    self.storage = storage
    self.clock = clock
    self.chance = chance
  }

  /// - Parameters:
  ///   - name: not empty, and of no other user.
  ///   - isFirst: whether the hub must have no user yet.
  /// - Throws: a ``Problem`` of kind `invalid` for an empty name or one that somebody has, `duplicate` if `isFirst` and the hub has users.
  public func createPerson(name: String, isFirst: Bool = false) throws -> HubPerson {
    let now = clock.now
    let person = HubPerson(id: chance.identifier(at: now), name: name, createdAt: now)
    try checkName(name)
    try storage.writeDirectory { directory in
      if isFirst, try !directory.people().isEmpty {
        throw Problem("duplicate", status: 409, title: "Exists already", detail: "this hub has users already")
      }
      try Self.checkFree(name, in: directory)
      try directory.put(person)
    }
    return person
  }

  /// Calls a person by another name.
  /// - Throws: a ``Problem`` of kind `not_found`, or `invalid` for an empty name or one that somebody else has.
  public func rename(person id: String, to name: String) throws -> HubPerson {
    try checkName(name)
    return try storage.writeDirectory { directory in
      var person = try Self.person(id, in: directory)
      try Self.checkFree(name, for: id, in: directory)
      person.name = name
      try directory.put(person)
      return person
    }
  }

  /// By name; not those who were removed.
  public func people() throws -> [HubPerson] { try all().filter { $0.removedAt == nil } }

  /// By name; those of whom something is still kept.
  public func removedPeople() throws -> [HubPerson] { try all().filter { $0.removedAt != nil } }

  private func all() throws -> [HubPerson] {
    try storage.readDirectory { try $0.people() }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  private static func checkFree(
    _ name: String, for own: String? = nil, in directory: any HubDirectoryReading
  ) throws {
    let others = try directory.people().filter { $0.removedAt == nil && $0.id != own }
    guard !others.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
      throw Problem.invalid("name: somebody at this hub is called \"\(name.prefix(60))\" already")
    }
  }

  private static func person(_ id: String, in directory: any HubDirectoryReading) throws -> HubPerson {
    guard let person = try directory.person(id: id) else {
      throw Problem.notFound("nobody at this hub has the id \"\(id.prefix(60))\"")
    }
    return person
  }

  /// Ends the tokens of all devices of a person, and their codes; what is kept of them stays until it is erased.
  ///
  /// `isErasing` has it erased: see ``finishErasing(person:alongside:)``. There is no way back from it.
  /// - Throws: a ``Problem`` of kind `not_found`.
  public func remove(person id: String, isErasing: Bool) throws {
    let now = clock.now
    try storage.writeDirectory { directory in
      var person = try Self.person(id, in: directory)
      person.removedAt = person.removedAt ?? now
      person.isErasing = person.isErasing || isErasing
      let devices = try directory.devices().filter { $0.person == id }
      // Their codes go with them.
      try directory.deletePerson(id: id)
      try directory.put(person)
      for var device in devices {
        device.revokedAt = device.revokedAt ?? now
        try directory.put(device)
      }
    }
  }

  /// Lets a person who was removed have devices again; the tokens of those they had stay revoked.
  /// - Throws: a ``Problem`` of kind `not_found`, or `invalid` where somebody else has the name by now, or all is being erased.
  public func restore(person id: String) throws {
    try storage.writeDirectory { directory in
      var person = try Self.person(id, in: directory)
      guard person.removedAt != nil else { return }
      guard !person.isErasing else { throw Problem.invalid("what was kept of \(person.name) is being erased") }
      try Self.checkFree(person.name, in: directory)
      person.removedAt = nil
      try directory.put(person)
    }
  }

  /// Erases all that is kept of a person who was removed for that, and forgets them last: cut short, it is done again.
  ///
  /// For the one process that serves the storage, as another would go on with what it has open.
  /// `alongside` erases what others keep of the person.
  public func finishErasing(person: HubPerson, alongside: (HubPerson) throws -> Void = { _ in }) throws {
    guard person.isErasing else { return }
    try storage.erase(person: person.id)
    try alongside(person)
    try storage.writeDirectory { try $0.deletePerson(id: person.id) }
  }

  /// A code such as `4821-0937`: it pairs one device of this person, within ten minutes.
  /// - Throws: a ``Problem`` of kind `not_found` for a person this hub does not know.
  public func createPairingCode(person: String) throws -> String {
    let digits = chance.pairingDigits()
    let now = clock.now
    try storage.writeDirectory { directory in
      guard try Self.person(person, in: directory).removedAt == nil else {
        throw Problem.notFound("this person was removed from the hub")
      }
      try directory.deletePairingCodes(expiredBefore: now)
      try directory.put(
        HubPairingCode(
          hash: SHA256Digest.hexadecimal(of: digits), person: person,
          expiresAt: now.addingTimeInterval(Double(Self.pairingLifetime.components.seconds))))
    }
    return "\(digits.prefix(4))-\(digits.suffix(4))"
  }

  /// Exchanges a code for a token, which is returned only this once.
  ///
  /// An unknown, a used and an expired code take the same steps.
  /// - Parameters:
  ///   - code: eight digits, with or without a hyphen.
  ///   - deviceName: not empty.
  ///   - holder: the user whose record the device holds; a code of another user stays valid.
  ///   - address: the client's address, for which the attempt counts; `nil` for the operator of the hub.
  /// - Throws: a ``Problem`` of kind `pairing_code_invalid`, `other_person` or `rate_limited`.
  public func pair(
    code: String, deviceName: String, holder: String? = nil, address: String? = nil
  ) throws -> (token: String, device: HubDevice) {
    try checkName(deviceName, member: "device_name")
    let digits = code.filter { $0 != "-" && $0 != " " }
    let hash = SHA256Digest.hexadecimal(of: digits)
    // The storages keep milliseconds.
    let now = Date(milliseconds: clock.now.milliseconds)
    let token = chance.token()
    let tokenHash = SHA256Digest.hexadecimal(of: token)
    let keys = address.map { PairingGuard.keys(address: $0, codeHash: hash) } ?? []
    if !keys.isEmpty {
      let wait = try storage.writeDirectory { directory in
        // What expired is as unknown as what never was.
        try directory.deletePairingCodes(expiredBefore: now)
        return try PairingGuard.count(keys, now: now, in: directory)
      }
      if let wait {
        throw Problem(
          "rate_limited", status: 429, title: "Too many attempts",
          detail: "too many pairing codes were tried: wait, then ask for a new code", retryAfter: wait)
      }
    }
    let device = try storage.writeDirectory { directory in
      let found = try directory.pairingCode(hash: hash)
      guard let pairing = found, MessageAuthenticator.isEqual(Array(pairing.hash.utf8), Array(hash.utf8)),
        now < pairing.expiresAt
      else {
        throw Problem(
          "pairing_code_invalid", status: 403, title: "Pairing code not valid",
          detail: "this code is wrong, was used, or is older than ten minutes: ask for a new one with `trendyd pair`")
      }
      if let holder, holder != pairing.person {
        throw Problem(
          "other_person", status: 409, title: "Another person's code",
          detail: "the device holds another person's record; this code stays good until it is used or ten minutes old")
      }
      let device = HubDevice(
        id: chance.identifier(at: now), person: pairing.person,
        name: try Self.freeName(deviceName, person: pairing.person, in: directory),
        tokenHash: tokenHash, createdAt: now)
      try PairingGuard.forgive(keys, now: now, in: directory)
      try directory.deletePairingCode(hash: hash)
      try directory.put(device)
      return device
    }
    return (token, device)
  }

  /// The name, or with the first number behind it that no other device of the person has: `vm`, `vm 2`. Revoked devices keep
  /// theirs and give it away.
  private static func freeName(
    _ name: String, person: String, in directory: some HubDirectoryReading
  ) throws -> String {
    let taken = Set(try directory.devices().filter { $0.person == person && $0.revokedAt == nil }.map(\.name))
    guard taken.contains(name) else { return name }
    // Numbered, it is to have the length of a name still.
    var beginning = name
    while beginning.utf8.count > 240 { beginning.removeLast() }
    var number = 2
    while taken.contains("\(beginning) \(number)") { number += 1 }
    return "\(beginning) \(number)"
  }

  /// Makes a token without a code, for the one who runs the hub.
  public func createToken(person: String, deviceName: String) throws -> (token: String, device: HubDevice) {
    let code = try createPairingCode(person: person)
    return try pair(code: code, deviceName: deviceName)
  }

  /// By name; of one person, or of all.
  public func devices(person: String? = nil) throws -> [HubDevice] {
    try storage.readDirectory { try $0.devices() }
      .filter { person == nil || $0.person == person }
      .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// Notes that a device came in, where that was not noted within the last hour, or it says something else of itself.
  func noteSeen(_ device: HubDevice, saying report: HubDeviceReport?) throws {
    let now = clock.now
    try storage.writeDirectory { directory in
      // As it is by now: it may have been revoked since.
      guard var current = try directory.device(tokenHash: device.tokenHash), current.isToBeNoted(now, saying: report)
      else { return }
      current.seenAt = now
      current.report = report ?? current.report
      try directory.put(current)
    }
  }

  /// Ends a device's token; revoking it again changes nothing.
  /// - Throws: a ``Problem`` of kind `not_found`.
  public func revoke(deviceId: String) throws {
    try storage.writeDirectory { directory in
      guard var device = try directory.devices().first(where: { $0.id == deviceId }) else {
        throw Problem.notFound("no device has the id \"\(deviceId.prefix(60))\"")
      }
      guard device.revokedAt == nil else { return }
      device.revokedAt = clock.now
      try directory.put(device)
    }
  }

  /// The device of a token.
  /// - Throws: a ``Problem`` with status 401.
  public func device(token: String) throws -> HubDevice {
    guard let device = try storage.readDirectory({ try $0.device(tokenHash: SHA256Digest.hexadecimal(of: token)) })
    else {
      throw Problem(
        "unauthorized", status: 401, title: "Not paired",
        detail: "this hub does not know the token: pair the device with a code from `trendyd pair`")
    }
    guard device.revokedAt == nil else {
      throw Problem(
        "token_revoked", status: 401, title: "Token revoked",
        detail: "the token of \"\(device.name)\" was revoked: pair the device again; what waits on it is not lost")
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
  /// Whether it has not been noted for an hour that it came in, or what it says of itself now.
  func isToBeNoted(_ now: Date, saying report: HubDeviceReport?) -> Bool {
    seenAt.map { now.timeIntervalSince($0) >= 3600 } ?? true || report?.differs(from: self.report) == true
  }
}
