# Installs hone and stillwater from a release, for the current user:
#
#     irm https://github.com/@REPOSITORY@/releases/latest/download/install.ps1 | iex
#
# $env:HONE_VERSION: a version such as v0.1.0 (default: the latest). The checksum of the
# archive must match. To remove it: delete %LOCALAPPDATA%\Programs\hone and its entry in PATH.

# A block, so that the caller's session keeps its settings.
& {
    $ErrorActionPreference = 'Stop'
    $releases = 'https://github.com/@REPOSITORY@/releases'
    $archive = 'hone-x86_64-pc-windows-msvc.zip'
    $from = if ($env:HONE_VERSION) { "$releases/download/$env:HONE_VERSION" } else { "$releases/latest/download" }
    $to = Join-Path $env:LOCALAPPDATA 'Programs\hone'
    $folder = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
    New-Item -ItemType Directory $folder | Out-Null
    try {
        $file = Join-Path $folder $archive
        Invoke-WebRequest -UseBasicParsing "$from/$archive" -OutFile $file
        Invoke-WebRequest -UseBasicParsing "$from/$archive.sha256" -OutFile "$file.sha256"
        $expected = ((Get-Content "$file.sha256") -split '\s+')[0]
        $found = (Get-FileHash -Algorithm SHA256 $file).Hash
        if ($found -ne $expected) { throw "$archive has the checksum $found, expected $expected" }
        Expand-Archive $file $folder
        if (Test-Path $to) { Remove-Item -Recurse -Force $to }
        New-Item -ItemType Directory -Force (Split-Path $to) | Out-Null
        Move-Item (Join-Path $folder 'hone-x86_64-pc-windows-msvc') $to
    } finally {
        Remove-Item -Recurse -Force $folder
    }
    $path = [Environment]::GetEnvironmentVariable('Path', 'User')
    if (($path -split ';') -notcontains $to) {
        [Environment]::SetEnvironmentVariable('Path', "$path;$to", 'User')
        Write-Output "added $to to PATH: open a new terminal"
    }
    & (Join-Path $to 'hone.exe') --version
    Write-Output "installed in $to"
}
