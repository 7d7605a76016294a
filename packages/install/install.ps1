# Installs tersely for you alone: downloads the archive for Windows, checks it, and says how to undo that.
#
#   irm https://github.com/tersely/tersely/releases/latest/download/install.ps1 | iex
#
#   $env:TERSELY_VERSION       a version, such as 0.1.0; default: the latest
#   $env:TERSELY_INSTALL_DIR   where the program goes; default: %LOCALAPPDATA%\Programs\tersely
#   $env:TERSELY_DOWNLOAD_URL  where the archives and SHA256SUMS are; default: the project's releases

# In a function, so that half a download does nothing.
function Install-Tersely {
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue'
    if ($env:OS -ne 'Windows_NT') { throw 'this installs the program for Windows; elsewhere use install.sh' }
    # Windows PowerShell 5.1 may not offer it by itself, and the releases ask for it.
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

    $releases = 'https://github.com/tersely/tersely/releases'
    $archive = 'tersely-x86_64-pc-windows-msvc.zip'

    $from = if ($env:TERSELY_DOWNLOAD_URL) { $env:TERSELY_DOWNLOAD_URL.TrimEnd('/') }
    elseif ($env:TERSELY_VERSION) { "$releases/download/v$($env:TERSELY_VERSION.TrimStart('v'))" }
    else { "$releases/latest/download" }
    $into = if ($env:TERSELY_INSTALL_DIR) { $env:TERSELY_INSTALL_DIR }
    else { Join-Path $env:LOCALAPPDATA 'Programs\tersely' }

    $tmp = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    New-Item -ItemType Directory -Path $tmp | Out-Null
    try {
        Invoke-WebRequest -UseBasicParsing "$from/SHA256SUMS" -OutFile "$tmp\SHA256SUMS"
        $line = Get-Content "$tmp\SHA256SUMS" | Where-Object { $_.EndsWith("  $archive") }
        if (-not $line) { throw "$from/SHA256SUMS does not name $archive" }
        $expected = $line.Split(' ')[0]

        Invoke-WebRequest -UseBasicParsing "$from/$archive" -OutFile "$tmp\$archive"
        $found = (Get-FileHash -Algorithm SHA256 "$tmp\$archive").Hash
        if ($found -ne $expected) { throw "$archive is not what was released: its SHA-256 is $found, not $expected" }

        Expand-Archive "$tmp\$archive" -DestinationPath $tmp
        $new = "$tmp\tersely-x86_64-pc-windows-msvc\tersely.exe"
        $version = & $new --version
        if ($LASTEXITCODE -ne 0) { throw "the program does not start: it ended with $LASTEXITCODE" }

        $program = Join-Path $into 'tersely.exe'
        New-Item -ItemType Directory -Force -Path $into | Out-Null
        # A program that runs cannot be replaced, but it can be renamed; it goes with the next upgrade.
        Remove-Item -Force "$program.old" -ErrorAction SilentlyContinue
        if (Test-Path $program) { Move-Item -Force $program "$program.old" }
        Copy-Item $new $program
        Remove-Item -Force "$program.old" -ErrorAction SilentlyContinue
    }
    finally {
        Remove-Item -Recurse -Force $tmp
    }

    Write-Output "installed ${version}: $program"
    if (($env:PATH -split ';') -notcontains $into) {
        Write-Output "to have it on your path: [Environment]::SetEnvironmentVariable('PATH', [Environment]::GetEnvironmentVariable('PATH', 'User') + ';$into', 'User')"
    }
    Write-Output 'to start: tersely run claude'
    Write-Output "to upgrade: run this again; to undo: Remove-Item -Recurse '$into'"
}

Install-Tersely
